"""Service that runs missions over HTTP, and a page that shows them.

::

    queued_session                queue of commands for one `bt_exec.mission.session.Session`
    plan_confirmation_questions   confirmation of plans by the operator
    page_state, page_rows         events → state of the page, and the last observations
    pictures_and_maps             newest pictures and maps for the page
    stages_and_plan_preview       a record → state, plan, run, results; a plan before it runs
    streams                       server-sent events, from the record and live
    api                           the routes; `models` are their requests and responses
    map_queue_and_speech_routes   maps, suggestions, queue, downloads, speech
    planner_format_response       responses of `/llm_command` in the format of other planners
    openapi                       description of the routes
    server                        the HTTP server, on a separate thread
    event_stream_client           client of the service, for ``bt-exec watch URL``
    page/                         the page: HTML, style, script

The session runs on one thread, HTTP on another. They interact only in `queued_session` and
`page_state`, and the ticking thread never waits for a client. Requests are checked by
`bt_exec.web.request_checks`.

Needs the extra ``serve``: ``pip install 'bt-exec[serve]'``.
"""
