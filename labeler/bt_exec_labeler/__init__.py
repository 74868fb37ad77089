"""Labels short clips of recorded episodes as plan records, and makes training sets of them."""
