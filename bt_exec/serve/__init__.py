"""Service: missions over HTTP, and a page to watch them.

::

    mission_queue                 queue of commands for one `bt_exec.mission.session.Session`
    page_state                    events → state of the page, and the last observations
    stages_and_plan_review        a record → state, plan, run, results; a plan before it runs
    streams                       server-sent events, from the record and live
    api                           the routes; `models` are their requests and responses
    map_queue_and_speech_routes   maps, suggestions, queue, downloads, speech
    server                        the HTTP server, on a separate thread
    client                        client of the service, for ``bt-exec watch URL``
    page/                         the page: HTML, style, script

The session runs on one thread, HTTP on another. They interact only in `mission_queue` and
`page_state`, and the ticking thread never waits for a client. Requests are checked by
`bt_exec.web.request_checks`.

Needs the extra ``serve``: ``pip install 'bt-exec[serve]'``.
"""
