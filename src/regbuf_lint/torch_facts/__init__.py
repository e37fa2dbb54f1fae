"""What is known of torch and of libraries whose source tells too little: checked-in tables, and how they are asked."""
