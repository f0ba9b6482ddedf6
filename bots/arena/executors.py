"""Where deal sets are played: any `concurrent.futures.Executor`.

    local           a process for each core of this machine
    local:4         four of them
    dask://HOST:PORT, tls://HOST:PORT    a Dask cluster
    module:function                      what that function returns

The local pool goes on when one of its processes dies.
"""

from __future__ import annotations

import importlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from .errors import TournamentError, needs_extra

T = TypeVar("T")
MOST_TRIES = 3
"""How often a task may lose its process before it is given up."""


class WorkerDiedError(Exception):
    """A task lost its process too often."""


class Tls(msgspec.Struct, frozen=True):
    """The certificates of a cluster."""

    ca: Path
    cert: Path
    key: Path


class Workers(msgspec.Struct, frozen=True):
    """An executor, how many tasks it does at once, and how to let go of it."""

    executor: Executor
    count: int
    close: Callable[[], None]


def open_workers(spec: str, tls: Tls | None = None) -> Workers:
    """Return the workers that a spec stands for.

    Raises:
        TournamentError: there are none, or the scheduler cannot be reached.
        NeedsExtraError: what a cluster needs is not installed.
    """
    kind, _, rest = spec.partition(":")
    if kind == "local":
        if rest and not (rest.isdigit() and int(rest) > 0):
            raise TournamentError(f"{spec!r} is no number of processes: use local:4")
        pool = LocalPool(int(rest) if rest else os.cpu_count() or 1)
        return Workers(pool, pool.processes, pool.shutdown)
    if kind in ("dask", "tls"):
        return _open_dask(spec, tls)
    if rest:
        return _open_own(kind, rest, spec)
    raise TournamentError(
        f"there is no executor {spec!r}: use local, local:4, dask://host:port, "
        "tls://host:port or module:function"
    )


def _open_own(module: str, name: str, spec: str) -> Workers:
    try:
        executor = getattr(importlib.import_module(module), name)()
    except (ImportError, AttributeError, TypeError) as error:
        raise TournamentError(f"cannot open the executor {spec!r}: {error}") from None
    if not isinstance(executor, Executor):
        raise TournamentError(f"{spec} returned no concurrent.futures.Executor")
    count = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    return Workers(executor, int(count), executor.shutdown)


def _open_dask(spec: str, tls: Tls | None) -> Workers:
    try:
        import distributed
    except ImportError:
        raise needs_extra("cluster") from None
    # its classes are not annotated
    make_client: Any = distributed.Client
    make_security: Any = distributed.Security
    address = spec.replace("dask://", "tcp://")
    security = None
    if spec.startswith("tls://"):
        if tls is None:
            raise TournamentError("tls:// needs --tls-ca, --tls-cert and --tls-key")
        security = make_security(
            tls_ca_file=str(tls.ca),
            tls_client_cert=str(tls.cert),
            tls_client_key=str(tls.key),
            require_encryption=True,
        )
    try:
        client: Any = make_client(address, security=security, timeout="10s", set_as_default=False)
    except (OSError, TimeoutError, ValueError, RuntimeError) as error:
        raise TournamentError(f"no Dask scheduler answers at {spec}: {error}") from None
    cores = sum(client.nthreads().values())
    if not cores:
        client.close()
        raise TournamentError(f"the scheduler at {spec} has no workers: start dask worker {spec}")
    # a deal set is no pure function to Dask: it would take one that is played again
    # for the one that it remembers
    return Workers(client.get_executor(pure=False), cores, client.close)


class LocalPool(Executor):
    """A process pool that is built again when one of its processes dies."""

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self._lock = threading.RLock()
        self._is_closed = False
        self._pool = self._build()

    def _build(self) -> ProcessPoolExecutor:
        # a fork would copy this process's threads and open files
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.processes, context, initializer=_start_worker)

    def submit(self, fn: Callable[..., T], /, *args: object, **kwargs: object) -> Future[T]:
        """Run a function in one of the processes, again if it loses its process."""
        outer: Future[T] = Future()
        outer.set_running_or_notify_cancel()
        self._send(outer, 0, fn, args, kwargs)
        return outer

    def _send(
        self,
        outer: Future[Any],
        tries: int,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        with self._lock:
            if self._is_closed:
                outer.set_exception(WorkerDiedError("the pool is closed"))
                return
            pool = self._pool
            try:
                inner = pool.submit(fn, *args, **kwargs)
            except BrokenProcessPool:
                pool = self._replace(pool)
                inner = pool.submit(fn, *args, **kwargs)

        def done(inner: Future[Any]) -> None:
            try:
                outer.set_result(inner.result())
            except BrokenProcessPool:
                self._replace(pool)
                if tries + 1 >= MOST_TRIES:
                    outer.set_exception(WorkerDiedError("its process died"))
                else:
                    self._send(outer, tries + 1, fn, args, kwargs)
            except BaseException as error:  # noqa: BLE001 - it goes to whoever asked
                outer.set_exception(error)

        inner.add_done_callback(done)

    def _replace(self, broken: ProcessPoolExecutor) -> ProcessPoolExecutor:
        with self._lock:
            if self._pool is broken and not self._is_closed:
                broken.shutdown(wait=False)
                self._pool = self._build()
            return self._pool

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes."""
        with self._lock:
            self._is_closed = True
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)


def _start_worker() -> None:
    """A worker lets its coordinator decide about Ctrl-C, and never outlives it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def watch() -> None:
        multiprocessing.connection.wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="parent").start()
