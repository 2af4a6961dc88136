"""Which releases of libraries have the names that code uses, and what their messages about missing names mean."""
