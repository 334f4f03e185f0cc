"""The one database and the files beside it."""
