"""Service: missions over HTTP, and a page to watch them.

::

    service      commands of everybody, one after another, for one `bt_exec.mission.session.Session`
    watching     events → what the page shows, and what is seen
    stages       a record → state, plan, run, results
    streams      server-sent events, from the record and live
    guard        who may ask, from where, how much and how slowly
    api          the routes; `models` is what goes in and out
    server       the HTTP server, on a thread of its own
    page/        the page: HTML, style, script

The session lives on one thread, HTTP on another; they meet in `service` and `watching` only, and
nothing that a client does, or leaves undone, is waited for by the thread that ticks.

Needs the extra ``serve``: ``pip install 'bt-exec[serve]'``.
"""
