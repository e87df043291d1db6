"""Workers for the tests of the web server: started once for all of them, and ended with them."""

import atexit
from functools import cache

from casino_env.play.web.desk import Desk


@cache
def the_desk() -> Desk:
    desk = Desk(patience=30.0, workers=2)
    desk.open()
    atexit.register(desk.close)
    return desk
