"""What needs a real model: `make live`. No part of the suite, nor of CI."""
