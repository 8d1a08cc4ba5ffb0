import type { Context } from 'hono'
import type { ServiceFacts } from '../services/service-context.ts'

// Nothing of the user's is on it, so it needs no key; no script, so nothing on it can be tricked into asking for one.
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The page at the root: says what this address is and which commands go on from here. */
export function webPage(c: Context, { url, version }: ServiceFacts): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Drydock</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 Inter, system-ui, sans-serif; }
  body { max-width: 44rem; margin: 4rem auto; padding: 0 1.5rem; }
  h1 { font-size: 20px; font-weight: 600; }
  code { font: 13px/1.5 "JetBrains Mono", ui-monospace, monospace; }
  dt { margin-top: 1rem; } dd { margin: 0; }
</style>
<h1>Drydock ${version} is running</h1>
<p>Job API: <code>${url}/v2/&lt;endpoint&gt;</code></p>
<dl>
  <dt>See what is there</dt><dd><code>drydock endpoint list</code></dd>
  <dt>Serve a handler</dt><dd><code>drydock endpoint create hello --handler handler.py</code></dd>
  <dt>Send a job</dt><dd><code>drydock runsync hello '{"name":"world"}'</code></dd>
  <dt>Why it waits</dt><dd><code>drydock status JOB</code>, <code>drydock logs hello -f</code></dd>
</dl>
<p>All routes: <code>GET /openapi.json</code> with the account key.</p>
</html>
`
  return c.html(html, 200, {
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
}
