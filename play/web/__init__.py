"""The table in the browser: a server, and the page (page/)."""
