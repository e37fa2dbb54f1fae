"""The tensor is put on a device for data."""

from __future__ import annotations

from regbuf_lint.classes.data_devices import is_put_on_data_device
from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "on-data-device",
    "it is put on a device for data, which users choose apart from that of the model",
    lambda context, attribute: is_put_on_data_device(context.definitions, attribute, context.building),
)
