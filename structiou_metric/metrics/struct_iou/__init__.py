"""STRUCT-IoU: the IoUs of the nodes that a best alignment of two trees pairs."""
