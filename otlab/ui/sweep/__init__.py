"""The page that browses the results of a sweep."""
