"""Service: missions over HTTP, and a page to watch them.

::

        service      queue of commands for one `bt_exec.mission.session.Session`
        page_state   events → state of the page, and the last observations
    stages       a record → state, plan, run, results
    streams      server-sent events, from the record and live
        guard        checks of origin, token, size and duration of requests
        api          the routes; `models` are their requests and responses
        server       the HTTP server, on a separate thread
    page/        the page: HTML, style, script

The session runs on one thread, HTTP on another. They interact only in `service` and `page_state`,
and the ticking thread never waits for a client.

Needs the extra ``serve``: ``pip install 'bt-exec[serve]'``.
"""
