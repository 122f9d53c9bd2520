"""The port of the embedded DynamoDB: the one asked for, if it can be had."""

from __future__ import annotations

import socket

from local.dynamodb import HOST, free_port


def test_a_port_that_somebody_listens_on_is_not_given() -> None:
    with socket.create_server((HOST, 0)) as server:
        assert free_port(HOST, server.getsockname()[1]) != server.getsockname()[1]


def test_a_port_whose_server_has_just_ended_is() -> None:
    """Though the system still remembers a connection that the server closed first."""
    with socket.create_server((HOST, 0)) as server:
        address = server.getsockname()
        with socket.create_connection(address) as client:
            server.accept()[0].close()
            client.recv(1)
    assert free_port(*address) == address[1]


def test_a_port_that_is_none_is_not_given() -> None:
    assert 0 < free_port(HOST, 65_536) < 65_536
