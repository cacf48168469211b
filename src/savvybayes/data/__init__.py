"""From a user's columns to blocks of codes: Source, Schema, Table."""
