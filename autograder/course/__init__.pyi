from .course import Course as Course
from .course import CourseError as CourseError
from .course import load_course as load_course
