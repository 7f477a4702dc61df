__all__ = ["expect_close", "question"]

from .expect import expect_close as expect_close
from .suite import question as question
