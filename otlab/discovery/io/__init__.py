"""Read texts of phones in the formats in which they are written, and recognise the format."""
