"""What the faces (CLI, API, web) read, in the product's words. The connection is passed in; nothing is written."""
