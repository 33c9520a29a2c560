"""Lists whose length is known at run time only."""
