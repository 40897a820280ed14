"""The built-in suites, one YAML file each; ``evalkit run NAME`` runs one. Copy one to start your own."""
