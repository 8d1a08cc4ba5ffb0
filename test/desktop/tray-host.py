"""A minimal panel that hosts tray items through the StatusNotifierItem D-Bus protocol.

It prints `ready` once it owns the watcher's bus name. It responds to each input line with one line of JSON: `read`
returns the tooltip and the menu, `click LABEL` selects a menu item, and `activate` clicks the icon.
"""

import json
import sys
import threading
from typing import Any

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"
INTERFACE = f"""
<node><interface name="{WATCHER}">
  <method name="RegisterStatusNotifierItem"><arg type="s" direction="in"/></method>
  <method name="RegisterStatusNotifierHost"><arg type="s" direction="in"/></method>
  <property name="IsStatusNotifierHostRegistered" type="b" access="read"/>
  <property name="RegisteredStatusNotifierItems" type="as" access="read"/>
  <property name="ProtocolVersion" type="i" access="read"/>
  <signal name="StatusNotifierItemRegistered"><arg type="s"/></signal>
</interface></node>
"""

items: list[tuple[str, str]] = []


def on_call(_bus: Any, sender: str, _path: str, _interface: str, method: str, arguments: Any, call: Any) -> None:
    if method == "RegisterStatusNotifierItem":
        (name,) = arguments
        items.append((sender, name) if name.startswith("/") else (name, "/StatusNotifierItem"))
    call.return_value(None)


def on_property(_bus: Any, _sender: str, _path: str, _interface: str, name: str) -> Any:
    return {
        "IsStatusNotifierHostRegistered": GLib.Variant("b", True),
        "RegisteredStatusNotifierItems": GLib.Variant("as", [name for name, _path in items]),
        "ProtocolVersion": GLib.Variant("i", 0),
    }[name]


def ask(bus: Any, name: str, path: str, method: str, arguments: Any = None) -> Any:
    interface, member = method.rsplit(".", 1)
    return bus.call_sync(name, path, interface, member, arguments, None, Gio.DBusCallFlags.NONE, 5000, None).unpack()


def answer(bus: Any, command: str) -> Any:
    name, path = items[-1]

    def value(key: str) -> Any:
        return ask(bus, name, path, "org.freedesktop.DBus.Properties.Get", GLib.Variant("(ss)", (ITEM, key)))[0]

    menu = value("Menu")
    layout = ask(bus, name, menu, f"{MENU}.GetLayout", GLib.Variant("(iias)", (0, -1, [])))
    entries = [(number, fields) for number, fields, _children in layout[1][2]]
    if command == "activate":
        ask(bus, name, path, f"{ITEM}.Activate", GLib.Variant("(ii)", (0, 0)))
        return None
    if command.startswith("click "):
        label = command.removeprefix("click ")
        number = next(number for number, fields in entries if fields.get("label") == label)
        event = GLib.Variant("(isvu)", (number, "clicked", GLib.Variant("i", 0), 0))
        ask(bus, name, menu, f"{MENU}.Event", event)
        return None
    lines = [
        {"label": fields["label"], "isOn": fields["toggle-state"] == 1} if "toggle-state" in fields else fields["label"]
        for _number, fields in entries
        if fields.get("type") != "separator"
    ]
    return {"tooltip": value("ToolTip")[2], "menu": lines}


def reply(bus: Any, command: str) -> None:
    try:
        text = json.dumps(answer(bus, command))
    except (GLib.Error, IndexError, KeyError, StopIteration) as error:
        text = json.dumps({"error": repr(error)})
    print(text, flush=True)


def main() -> None:
    bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
    interface = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0]
    bus.register_object("/StatusNotifierWatcher", interface, on_call, on_property, None)
    Gio.bus_own_name_on_connection(
        bus, WATCHER, Gio.BusNameOwnerFlags.NONE, lambda *_: print("ready", flush=True), None
    )
    loop = GLib.MainLoop()

    def read() -> None:
        for line in sys.stdin:
            GLib.idle_add(reply, bus, line.rstrip("\n"))
        GLib.idle_add(loop.quit)

    threading.Thread(target=read, daemon=True).start()
    loop.run()


main()
