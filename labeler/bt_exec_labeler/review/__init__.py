"""Review of records: a local page, decisions that are never lost, Label Studio.

::

    decisions     decisions, one file per reviewer, appended line by line
    job           records to review, their clips and earlier decisions
    app           routes of the page, behind the guard and server of `bt_exec.web`
    page/         the page: HTML, style, script
    label_studio  tasks and annotations of Label Studio
"""
