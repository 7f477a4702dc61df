__all__ = [
    "Inspection",
    "Local",
    "Remote",
    "Student",
    "StudentError",
    "Suite",
    "Unmet",
    "any_of",
    "draw",
    "expect",
    "expect_array",
    "expect_close",
    "expect_computed",
    "expect_dtype_kept",
    "expect_equal",
    "expect_figure",
    "expect_finite",
    "expect_frame",
    "expect_gradcheck",
    "expect_gradient",
    "expect_inputs_unchanged",
    "expect_moved",
    "expect_no_nan",
    "expect_numbers",
    "expect_numel",
    "expect_printed",
    "expect_raises",
    "expect_rows_sum_to_one",
    "expect_shape",
    "expect_tensor",
    "expect_unchanged",
    "precondition",
    "question",
    "value_of",
]

from .arrays import expect_array as expect_array
from .exchange import Local as Local
from .exchange import StudentError as StudentError
from .expectations import Unmet as Unmet
from .expectations import any_of as any_of
from .expectations import expect as expect
from .expectations import expect_close as expect_close
from .expectations import expect_equal as expect_equal
from .expectations import expect_printed as expect_printed
from .expectations import expect_raises as expect_raises
from .expectations import expect_shape as expect_shape
from .expectations import expect_unchanged as expect_unchanged
from .expectations import precondition as precondition
from .figures import expect_figure as expect_figure
from .inputs import draw as draw
from .student import Inspection as Inspection
from .student import Remote as Remote
from .student import Student as Student
from .student import value_of as value_of
from .suite import Suite as Suite
from .suite import question as question
from .tables import expect_frame as expect_frame
from .tensors import expect_computed as expect_computed
from .tensors import expect_dtype_kept as expect_dtype_kept
from .tensors import expect_finite as expect_finite
from .tensors import expect_gradcheck as expect_gradcheck
from .tensors import expect_gradient as expect_gradient
from .tensors import expect_inputs_unchanged as expect_inputs_unchanged
from .tensors import expect_moved as expect_moved
from .tensors import expect_no_nan as expect_no_nan
from .tensors import expect_numbers as expect_numbers
from .tensors import expect_numel as expect_numel
from .tensors import expect_rows_sum_to_one as expect_rows_sum_to_one
from .tensors import expect_tensor as expect_tensor
