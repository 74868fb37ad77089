"""Review of records on a local page or in Label Studio.

::

    decisions     store of decisions: one file per reviewer
    review_cards  records to review, their clips and earlier decisions
    app           routes of the page, behind the guard and server of `bt_exec.web`
    page/         the page: HTML, style, script
    label_studio  export of tasks to Label Studio, import of annotations
"""
