"""The OT lab as one file: its kernels as WebAssembly, and the page around them."""
