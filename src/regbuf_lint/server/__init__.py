"""The language server: the public API for editors. It needs pygls, which the extra ``lsp`` brings."""
