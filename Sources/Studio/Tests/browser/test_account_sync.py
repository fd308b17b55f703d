"""The settings of an account on several devices: nothing of what one has changed is lost."""

import pytest

from test_account_pages import device, studio


SIMULATION = """async (seed) => {
    const { Sync } = await import('/js/sync.js');
    // xorshift32
    const random = (count) => { seed ^= seed << 13; seed ^= seed >>> 17; seed ^= seed << 5; return (seed >>> 0) % count; };
    const flat = Array(28).fill(0);
    const server = { rev: 0, parts: flat, log: [flat] };
    const devices = [];
    const deliver = [];
    const faults = [];
    const put = (device, rev, parts) => {
        if (rev !== server.rev) return { rev: server.rev, parts: server.parts, isConflict: true };
        parts.forEach((each, band) => {
            if (each !== server.parts[band] && !device.moved.has(band)) faults.push(`band ${band} is saved by a device that has not moved it`);
            // It has arrived: another device that moves it does so knowingly.
            if (device.mine.get(band) === each) device.mine.delete(band);
        });
        server.rev += 1;
        server.parts = parts;
        server.log.push(parts);
        for (const each of devices) deliver.push({ to: each, value: { rev: server.rev, parts } });
        return { rev: server.rev };
    };
    let isLossy = true;
    for (let index = 0; index < 3; index++) {
        // `moved`: bands that its user has moved; `mine`: those that are not saved, and their gains; `sent`: what the server may have.
        const device = { seen: [0], pending: [], moved: new Set(), mine: new Map(), sent: [] };
        const send = (rev, parts) => new Promise((resolve, reject) => device.sent.push({ rev, parts }) && device.pending.push(() => {
            // Lost on the way there, or on the way back.
            if (isLossy && random(4) === 0) return reject(new Error());
            const answer = put(device, rev, parts);
            if (isLossy && random(4) === 0) return reject(new Error());
            resolve(answer);
        }));
        device.sync = new Sync(send, () => {
            const { rev, base, value, question } = device.sync ?? { rev: 0, base: flat, value: flat };
            if (rev < device.seen.at(-1)) faults.push(`revision ${rev} after ${device.seen.at(-1)}`);
            if (server.log[rev].join() !== base.join()) faults.push(`revision ${rev} is another one`);
            device.seen.push(rev);
            device.sent = device.sent.filter((each) => each.rev >= rev);
            for (const [band, gain] of device.mine) {
                if (value[band] !== gain && !question?.parts.includes(band)) faults.push(`band ${band} is lost`);
                // The account has it; and nothing is on its way that would change that.
                if (base[band] === gain && device.sent.every(({ parts }) => parts[band] === gain)) device.mine.delete(band);
            }
        }, { rev: 0, parts: flat });
        devices.push(device);
    }
    const settle = async () => { for (let turn = 0; turn < 8; turn++) await Promise.resolve(); };
    for (let step = 0; step < 120; step++) {
        const device = devices[random(3)];
        const what = random(6);
        if (what === 0) {
            const parts = [...device.sync.value];
            const [band, gain] = [random(28), random(49) / 2 - 12];
            parts[band] = gain;
            device.moved.add(band);
            device.mine.set(band, gain);
            device.sync.change(parts);
        } else if (what === 1) device.sync.flush();
        else if (what === 2) device.pending.splice(random(2), 1)[0]?.();
        else if (what === 3 && device.sync.question) {
            const isMine = random(2) === 0;
            if (!isMine) for (const band of device.sync.question.parts) device.mine.delete(band);
            device.sync.choose(isMine);
        }
        else if (deliver.length) {
            // In any order, some never.
            const [message] = deliver.splice(random(deliver.length), 1);
            if (random(4)) message.to.sync.receive(message.value);
        }
        await settle();
    }
    isLossy = false;
    for (let turn = 0; turn < 60; turn++) {
        for (const device of devices) {
            device.sync.receive({ rev: server.rev, parts: server.parts });
            if (device.sync.question) device.sync.choose(true);
            device.sync.flush();
            for (const answer of device.pending.splice(0)) answer();
            await settle();
        }
    }
    for (const { sync } of devices) {
        if (sync.local || sync.question || sync.rev !== server.rev || sync.value.join() !== server.parts.join()) faults.push('a device ends with another value');
    }
    return { faults, revisions: server.rev };
}"""


def test_any_order_of_saves_and_losses_ends_with_equal_values(device):
    page = device()
    revisions = 0
    for seed in range(1, 201):
        result = page.evaluate(SIMULATION, 2654435761 * seed % 2**32 or 1)
        assert result["faults"] == [], seed
        revisions += result["revisions"]
    assert revisions > 1000


def test_a_band_that_one_device_changed_is_never_lost(device):
    page = device()
    result = page.evaluate("""async () => {
        const { Sync } = await import('/js/sync.js');
        const flat = Array(28).fill(0);
        const at = (band, gain, from = flat) => from.map((each, place) => place === band ? gain : each);
        const sync = new Sync(async () => { throw new Error(); }, () => {}, { rev: 0, parts: flat });
        sync.change(at(1, 3));
        sync.receive({ rev: 1, parts: at(2, 5) });
        const merged = [...sync.local];
        sync.receive({ rev: 2, parts: at(1, -4, at(2, 5)) });
        const asked = { ...sync.question };
        sync.receive({ rev: 1, parts: flat });
        await sync.choose(false);
        return { merged, asked, local: sync.local, value: sync.value, rev: sync.rev };
    }""")
    assert result["merged"][:3] == [0, 3, 5]
    assert result["asked"]["parts"] == [1] and result["asked"]["theirs"][:3] == [0, -4, 5]
    assert (result["local"], result["value"][:3], result["rev"]) == (None, [0, -4, 5], 2)


def test_a_server_that_went_back_to_a_backup_is_followed(device):
    page = device()
    result = page.evaluate("""async () => {
        const { Sync } = await import('/js/sync.js');
        let [server, tries] = [{ rev: 3, parts: [0, 5] }, 0];
        const send = async (rev, parts) => {
            if (tries++ > 5) throw new Error('no end');
            if (rev !== server.rev) return { ...server, isConflict: true };
            server = { rev: rev + 1, parts };
            return { rev: server.rev };
        };
        const sync = new Sync(send, () => {}, { rev: 9, parts: [0, 0] });
        sync.change([2, 0]);
        await sync.flush();
        return { server, rev: sync.rev, value: sync.value, tries };
    }""")
    assert result == {"server": {"rev": 4, "parts": [2, 5]}, "rev": 4, "value": [2, 5], "tries": 2}


def test_a_band_that_goes_back_while_it_is_saved_ends_there(device):
    result = device().evaluate("""async () => {
        const { Sync } = await import('/js/sync.js');
        const [sends, settle] = [[], async () => { for (let turn = 0; turn < 8; turn++) await Promise.resolve(); }];
        const send = (rev, parts) => new Promise((resolve, reject) => sends.push({ rev, parts, resolve, reject }));
        const results = [];
        for (const isAnswered of [true, false]) {
            const sync = new Sync(send, () => {}, { rev: 0, parts: [0, 0] });
            sync.change([3, 0]);
            sync.flush();
            sync.change([0, 0]);
            const first = sends.shift();
            if (isAnswered) first.resolve({ rev: 1 }); else first.reject(new Error());
            await settle();
            // The server had it, and another device has saved the other band meanwhile.
            if (!isAnswered) sync.receive({ rev: 2, parts: [3, 5] });
            results.push({ value: sync.value, sent: sends.shift()?.parts ?? null, asked: sync.question?.parts ?? null });
        }
        return results;
    }""")
    assert result == [{"value": [0, 0], "sent": [0, 0], "asked": None}, {"value": [0, 5], "sent": None, "asked": [0]}]


UNANSWERED = """async ({ changes, statuses, isStored }) => {
    const { Sync } = await import('/js/sync.js');
    const sends = [];
    let server = { rev: 0, parts: [0, 0] };
    const send = async (rev, parts) => {
        sends.push(parts[0]);
        // 0: there is no answer.
        const status = statuses.shift() ?? 200;
        if (!status && isStored && rev === server.rev) server = { rev: rev + 1, parts };
        if (status !== 200) throw Object.assign(new Error(), status ? { status } : {});
        if (rev !== server.rev) return { ...server, isConflict: true };
        server = { rev: rev + 1, parts };
        return { rev: server.rev };
    };
    const sync = new Sync(send, () => {}, server);
    for (const gain of changes) {
        sync.change([gain, 0]);
        await sync.flush();
    }
    await sync.flush();
    return { sends, server, local: sync.local, asked: sync.question };
}"""


@pytest.mark.parametrize("isStored", [False, True])
def test_what_has_no_answer_is_one_value_that_goes_again(device, isStored):
    """However much is changed without a connection."""
    changes = [*range(1, 51), 0]
    result = device().evaluate(UNANSWERED, {"changes": changes, "statuses": [0] * len(changes), "isStored": isStored})
    assert result == {"sends": [1] * len(changes) + [1, 0], "server": {"rev": 2, "parts": [0, 0]}, "local": None, "asked": None}


@pytest.mark.parametrize("status,sends", [(400, [99, 99, 3]), (413, [99, 99, 3]), (429, [99, 99, 99, 3]), (503, [99, 99, 99, 3])])
def test_what_is_unfit_makes_way(device, status, sends):
    result = device().evaluate(UNANSWERED, {"changes": [99, 3], "statuses": [0, status], "isStored": False})
    assert result["sends"] == sends and result["server"]["parts"] == [3, 0] and result["local"] is None


@pytest.mark.parametrize("status", [400, 429])
def test_what_is_refused_while_it_is_taken_back_is_not_sent_again(device, status):
    result = device().evaluate("""async (status) => {
        const { Sync } = await import('/js/sync.js');
        const sends = [];
        const sync = new Sync((rev, parts) => new Promise((resolve, reject) => sends.push({ parts, reject })), () => {}, { rev: 0, parts: [0, 0] });
        sync.change([99, 0]);
        const flushed = sync.flush();
        sync.change([0, 0]);
        sends[0].reject(Object.assign(new Error(), { status }));
        await flushed;
        sync.flush();
        return { sends: sends.length, local: sync.local };
    }""", status)
    assert result == {"sends": 1, "local": None}
