"""Compiles the core where that is possible, and puts the Hub's script into the package.

All other settings are in pyproject.toml.

STRUCTIOU_COMPILE  1: failing to compile is an error; 0: do not compile; auto, or unset: where Cython or a
                   working C compiler is missing, the same source is installed uncompiled.
STRUCTIOU_CHECKED  1: compile with bounds checks, for tests.
STRUCTIOU_SANITIZED  1: compile with gcc's or clang's checks of addresses and undefined behaviour, for tests.
STRUCTIOU_OPTIMIZED  0: compile in a fifth of the time what is then slower, for tests of anything but speed.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CompileError

# A module of the core has its C types beside it.
CORE = sorted(path.with_suffix(".py") for path in Path("structiou_metric/_core").glob("*.pxd"))

COMPILE = os.environ.get("STRUCTIOU_COMPILE") or "auto"
CHECKED = os.environ.get("STRUCTIOU_CHECKED") == "1"
SANITIZED = os.environ.get("STRUCTIOU_SANITIZED") == "1"
OPTIMIZED = os.environ.get("STRUCTIOU_OPTIMIZED") != "0"

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,
    "initializedcheck": CHECKED,
    "cdivision": not CHECKED,
    "freethreading_compatible": True,
}

# Compiled and uncompiled must agree to the last bit: no fused multiply-add, no fast math.
# Debug information, by which the sanitizers tell lines, would be four fifths of the wheel.
LEVEL = "-O0" if not OPTIMIZED else "-O1" if CHECKED or SANITIZED else "-O3"
FLAGS = ["-ffp-contract=off", LEVEL, "-g" if SANITIZED else "-g0"]
# The process that imports the modules has to preload the sanitizer of addresses.
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
if SANITIZED:
    FLAGS += SANITIZERS
FLAGS_MSVC = ["/Od" if CHECKED or not OPTIMIZED else "/O2", "/fp:precise"]

GENERATED = Path("build/cython")  # keeps the C files away from the sources

# Cython's own support code, such as the classes of memory views, is compiled once, into this module.
# Otherwise every module would have a copy of it, which is half of all compiled code.
SHARED = "structiou_metric._core._cyutility"


def modules():
    """Return an extension for each module of the core."""
    return [Extension(f"structiou_metric._core.{path.stem}", [path.as_posix()]) for path in CORE]


class BuildCore(build_ext):
    """Turns the modules of the core into C and compiles them, or leaves all of them as they are."""

    def initialize_options(self):
        super().initialize_options()
        self.parallel = os.cpu_count()

    def run(self):
        try:
            self.generate_c()
            super().run()
        except Exception as err:
            if COMPILE == "1" or "build_ext" in sys.argv:  # demanded, or asked for by name
                raise CompileError(f"cannot compile the core: {err}") from err
            self.go_without()
            reason = str(err) if len(str(err)) < 120 else "the C compiler failed, see above"
            print(f"structiou-metric: not compiled, so the same but slower ({reason})", file=sys.stderr)

    def generate_c(self):
        import Cython
        from Cython.Build import cythonize

        # Neither Cython nor setuptools notices when only the settings have changed.
        settings = f"Cython {Cython.__version__} {DIRECTIVES} {FLAGS} {SHARED}\n"
        note = GENERATED / "settings.txt"
        if not note.exists() or note.read_text() != settings:
            shutil.rmtree(GENERATED, ignore_errors=True)
            GENERATED.mkdir(parents=True)
            note.write_text(settings)

        shared = GENERATED / "_cyutility.c"
        if not shared.exists():
            cython = [sys.executable, "-m", "cython", f"--module-name={SHARED}"]
            subprocess.run([*cython, f"--generate-shared={shared}"], check=True)
        generated = cythonize(
            modules(),
            build_dir=str(GENERATED),
            compiler_directives=DIRECTIVES,
            quiet=self.verbose <= 0,
            shared_utility_qualified_name=SHARED,
        )
        sources = {extension.name: extension.sources for extension in generated}
        sources[SHARED] = [shared.as_posix()]
        for extension in self.extensions:
            extension.sources = sources[extension.name]

    def build_extensions(self):
        flags = FLAGS_MSVC if self.compiler.compiler_type == "msvc" else FLAGS
        for extension in self.extensions:
            extension.extra_compile_args = flags
            extension.extra_link_args = SANITIZERS if SANITIZED else []
        super().build_extensions()

    def go_without(self):
        """Forgets the extensions, those that did compile too, and marks the wheel as pure Python."""
        for extension in self.extensions:
            Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
        self.extensions = self.distribution.ext_modules = []
        wheel = self.distribution.get_command_obj("bdist_wheel", create=False)
        if wheel is not None:
            wheel.root_is_pure = True


class BuildPackages(build_py):
    """Copies the script of `hf_space` to where `structiou_metric.metric_path` looks for it."""

    SCRIPT = "hf_space/struct_iou.py"

    def run(self):
        super().run()
        if not self.editable_mode:  # else the script is found where it is
            self.mkpath(os.path.dirname(self.copied_script))
            self.copy_file(self.SCRIPT, self.copied_script)

    @property
    def copied_script(self):
        return os.path.join(self.build_lib, "structiou_metric", "hub", os.path.basename(self.SCRIPT))

    def get_outputs(self, include_bytecode=True):
        return [*super().get_outputs(include_bytecode), self.copied_script]

    def get_output_mapping(self):
        return {**super().get_output_mapping(), self.copied_script: self.SCRIPT}

    def get_source_files(self):
        return [*super().get_source_files(), self.SCRIPT]


if COMPILE not in ("1", "0", "auto"):
    raise SystemExit(f"STRUCTIOU_COMPILE={COMPILE}: choose from 1, 0, auto")
setup(
    ext_modules=[] if COMPILE == "0" else [Extension(SHARED, []), *modules()],
    cmdclass={"build_py": BuildPackages, "build_ext": BuildCore},
)
