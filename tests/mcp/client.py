"""Asks `sref mcp` for everything that it has, with the official SDK of the protocol.

    client.py SREF STORE

Once as of 2026-07-28, where the SDK begins with `server/discover`, and once with the handshake of the
versions before. Ends with the first thing that is not as promised.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import Implementation, PromptReference, ResourceTemplateReference

LOGIN = "session-3f9c1e52-7d0b-4c6e-9a41-0b8e6d2f5c17"
TEMPLATE = "dsh-session:{id}"
PAGE = 11_000


def server(sref, *stores, env=None):
    args = ["mcp", "--all"]
    for store in stores:
        args += ["--store", store]
    return StdioServerParameters(command=sref, args=args, env=env)


def text(result):
    """The text of a tool's answer, which is all of it."""
    assert not result.is_error, result
    assert result.structured_content is None
    (block,) = result.content
    assert len(block.text.encode()) <= PAGE, len(block.text.encode())
    return block.text


def error_code(result):
    assert result.is_error, result
    return json.loads(result.content[0].text)["error"]["code"]


def quoted(context):
    """The sessions between the tags."""
    inside = context.split("<referenced-sessions>")[1].split("</referenced-sessions>")[0]
    return json.loads(inside)


async def lists(client):
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["session_candidates", "session_reference", "session_read"]
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert "other sessions" in client.instructions[:250]
    resources = (await client.list_resources()).resources
    templates = (await client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == [TEMPLATE]
    prompts = (await client.list_prompts()).prompts
    assert [prompt.name for prompt in prompts] == ["reference"]
    return resources


async def completes(client, resources):
    """What completion offers can be read, for each session by its whole title."""
    reference = ResourceTemplateReference(uri=TEMPLATE)
    prompt = PromptReference(name="reference")
    for resource in resources:
        found = await client.complete(reference, {"name": "id", "value": resource.title})
        uris = [TEMPLATE.replace("{id}", value) for value in found.completion.values]
        assert resource.uri in uris, (resource, uris)
    found = await client.complete(prompt, {"name": "session", "value": ""})
    assert len(found.completion.values) >= len(resources)
    assert not any(" " in value for value in found.completion.values), found
    return found.completion.values


async def reads(client, resources, keys):
    for resource in resources:
        contents = (await client.read_resource(resource.uri)).contents
        (session,) = quoted(contents[0].text)
        assert session["conversation"], resource
    for key in keys:
        (message,) = (await client.get_prompt("reference", {"session": key})).messages
        assert message.role == "user"
        assert len(quoted(message.content.text)) == 1, key
    try:
        await client.read_resource("dsh-session:Im5vbmUi")
    except MCPError as error:
        assert error.data["code"] == "SESSION_REFERENCE_READ_FAILED", error
    else:
        raise AssertionError("a session that is not there was read")


async def calls(client):
    found = text(await client.call_tool("session_candidates", {"limit": 3}))
    page = json.loads(found.split("\n", 1)[1])
    assert len(page["sessions"]) == 3 and page["nextCursor"] == "3", page
    mentions = [own["mention"] for own in page["sessions"]]
    steps = []

    async def progress(done, total, message):
        steps.append(done)

    result = await client.call_tool(
        "session_reference", {"mentions": mentions}, progress_callback=progress
    )
    assert len(quoted(text(result))) == 3
    assert len(steps) >= 3 and steps == sorted(set(steps)), steps
    assert error_code(await client.call_tool("session_read", {"uri": "nothing"})) == "mention.unknown"
    assert error_code(await client.call_tool("session_read", {})) == "mcp.argument"

    arguments, parts = {"uri": LOGIN}, 0
    while arguments:
        answer = text(await client.call_tool("session_read", arguments))
        assert quoted(answer)[0]["sessionId"] == LOGIN
        parts += 1
        _, follows, rest = answer.partition("returns what follows for ")
        arguments = json.loads(rest.removesuffix(".")) if follows else None
    assert parts >= 1


async def a_hundred_at_once(client):
    answers = {}

    async def ask(number):
        name, arguments = [
            ("session_candidates", {}),
            ("session_read", {"uri": LOGIN}),
            ("session_reference", {"mentions": [LOGIN]}),
        ][number % 3]
        answers[number] = text(await client.call_tool(name, arguments))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number in range(100):
                group.start_soon(ask, number)
    assert len(answers) == 100
    assert all(LOGIN in answer for answer in answers.values())


def write_long_log(root):
    """A session that takes seconds to read, as Claude Code writes it."""
    name = "5f0c11aa-0001-4000-8000-000000000001"
    directory = Path(root, "-p")
    directory.mkdir()
    words = "word " * 400
    with open(directory / f"{name}.jsonl", "w", encoding="utf-8") as log:
        for number in range(15_000):
            record = {
                "type": "user" if number % 2 == 0 else "assistant",
                "uuid": f"u{number}",
                "parentUuid": f"u{number - 1}" if number else None,
                "sessionId": name,
                "cwd": "/p",
                "timestamp": "2026-11-01T00:00:00.000Z",
                "message": {
                    "role": "user" if number % 2 == 0 else "assistant",
                    "content": [{"type": "text", "text": words}],
                },
            }
            log.write(json.dumps(record) + "\n")
    return f"claude:{name}"


async def cancels(sref, store, mode):
    """A call that is taken back does not hold up the next one, nor the end."""
    with tempfile.TemporaryDirectory() as root:
        long = write_long_log(root)
        async with Client(server(sref, store, f"claude={root}"), mode=mode) as client:
            await client.call_tool("session_candidates", {})
            start = time.monotonic()
            with anyio.move_on_after(0.2) as scope:
                await client.call_tool("session_read", {"uri": long})
            assert scope.cancelled_caught, f"read in {time.monotonic() - start:.2f} s: make it longer"
            start = time.monotonic()
            text(await client.call_tool("session_read", {"uri": LOGIN}))
            assert time.monotonic() - start < 2, time.monotonic() - start
            start = time.monotonic()
        # The SDK waits two seconds for a server that is still at work.
        assert time.monotonic() - start < 1.5, f"the end took {time.monotonic() - start:.2f} s"


async def cannot_cite_itself(sref, store):
    async with Client(server(sref, store)) as client:
        result = await client.call_tool("session_read", {"uri": LOGIN}, meta={"sessionId": LOGIN})
        assert error_code(result) == "SESSION_REFERENCE_SELF_REFERENCE"


async def everything(sref, store, mode, version):
    info = Implementation(name="sref-test", version="1")
    async with Client(server(sref, store), mode=mode, client_info=info) as client:
        assert client.protocol_version == version, client.protocol_version
        resources = await lists(client)
        assert len(resources) >= 5, resources
        keys = await completes(client, resources)
        await reads(client, resources, keys)
        await calls(client)
        await a_hundred_at_once(client)
    await cancels(sref, store, mode)
    print(f"ok: {version}")


async def main(sref, store):
    store = f"dsh={Path(store).resolve()}"
    with anyio.fail_after(300):
        await everything(sref, store, "auto", "2026-07-28")
        await everything(sref, store, "legacy", "2025-11-25")
        await cannot_cite_itself(sref, store)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:3])
