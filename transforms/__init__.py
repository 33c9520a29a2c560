"""The compiler's passes, IR -> IR, one a file. Imported as ``symgrad.transforms``."""

if __name__ != "symgrad.transforms":
    raise ImportError("the passes are imported as symgrad.transforms")
