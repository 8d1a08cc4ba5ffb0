"""`python3 -m svc_relay relay|watchdog|hub|agent ...`; how each is called is in README.md."""

from __future__ import annotations

import argparse
import asyncio
import sys
from ipaddress import ip_network

from svc_relay._addresses import read_address, read_listen
from svc_relay._hub import run_agent, run_hub
from svc_relay._relay import run_relay
from svc_relay._watchdog import Engine, Watchdog


def main(arguments: list[str]) -> int:
    """Run one of them until a signal ends it. Returns the exit status."""
    options = _parser().parse_args(arguments)
    if options.mode == "relay":
        return asyncio.run(run_relay(options.listen, options.to, options.allow))
    if options.mode == "hub":
        return asyncio.run(run_hub(options.listen, options.to, options.allow, folder=options.folder, key=options.key))
    watchdog = Watchdog(options.to, Engine(options.engine), service=options.service, after_s=options.after)
    if options.mode == "agent":
        return asyncio.run(
            run_agent(options.listen[0], options.engine, options.allow, key=options.key, watchdog=watchdog)
        )
    return watchdog.run()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="svc_relay")
    modes = parser.add_subparsers(dest="mode", required=True)
    relay = modes.add_parser("relay", help="pass connections to an address through the reverse tunnel")
    watchdog = modes.add_parser("watchdog", help="end the workers of a service that cannot be reached any more")
    hub = modes.add_parser("hub", help="a relay on the manager of a swarm, with a tunnel to the engines of its nodes")
    agent = modes.add_parser("agent", help="a watchdog on a node of a swarm, which leads the hub to the engine there")
    for mode in (relay, hub, agent):
        mode.add_argument("--listen", action="append", type=read_listen, required=True, metavar="HOST:PORT")
        mode.add_argument("--allow", action="append", type=ip_network, default=[], metavar="NETWORK")
    for mode in (relay, watchdog, hub, agent):
        mode.add_argument("--to", type=read_address, required=True, metavar="ADDRESS")
    for mode in (watchdog, agent):
        mode.add_argument("--engine", required=True, metavar="SOCKET")
        mode.add_argument("--service", required=True, metavar="ID")
        mode.add_argument("--after", type=float, required=True, metavar="SECONDS")
    for mode in (hub, agent):
        mode.add_argument("--key", required=True, metavar="FILE")
    hub.add_argument("--folder", required=True, metavar="FOLDER")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
