"""The screens on which pages and figures are opened: of a laptop, and of a phone."""

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
