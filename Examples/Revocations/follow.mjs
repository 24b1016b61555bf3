// Listens to `/oauth2/revocations`. docs/feed.md has the rules that keep it safe: this file only shows how to listen.
import { createInterface } from "node:readline";
import { Readable } from "node:stream";

export async function follow(url, client, secret, take) {
  for (let cursor; ; await new Promise((done) => setTimeout(done, 1000))) {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), 15_000);
    try {
      const headers = { authorization: "Basic " + Buffer.from(`${client}:${secret}`).toString("base64") };
      if (cursor) headers["last-event-id"] = cursor;
      const answer = await fetch(url + "/oauth2/revocations", { headers, signal: silence.signal });
      if (!answer.ok) continue;
      let event = {};
      for await (const line of createInterface({ input: Readable.fromWeb(answer.body) })) {
        timer.refresh();
        const colon = line.indexOf(": ");
        if (colon > 0) event[line.slice(0, colon)] = line.slice(colon + 2);
        if (line !== "") continue;
        if (event.event) take(event.event, JSON.parse(event.data));
        cursor = event.id ?? cursor;
        event = {};
      }
    } catch {
    } finally {
      clearTimeout(timer);
    }
  }
}
