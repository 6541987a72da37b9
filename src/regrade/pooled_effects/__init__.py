"""One effect in several collections: in each, over them, and how it differs among them."""
