"""Review of records: a local page, decisions that survive a kill, Label Studio.

::

    decisions     what people decided, one file a reviewer, appended line by line
    job           what there is to review: records, their clips, what was decided before
    app           the routes of the page; served by the executive's own guard and server
    page/         the page: HTML, style, script
    label_studio  tasks and annotations of Label Studio
"""
