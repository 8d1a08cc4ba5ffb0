/**
 * The other ends of monitoring, as bare as they can be: a collector that throws away the spans it gets, and a scraper
 * that reads /metrics once a second, more often than anybody does. Its first message is the collector's port. Told
 * what to scrape it begins; each answer to a message is what has come so far.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The service whose figures are read. */
export type ScrapeOrder = { readonly port: number; readonly auth: string }

/** Since the start. */
export type Monitored = { readonly spanBytes: number; readonly scrapes: number }

const EVERY_MS = 1000

let monitored: Monitored = { spanBytes: 0, scrapes: 0 }

const collector = createServer((incoming, response) => {
  incoming.on('data', (part: Buffer) => {
    monitored = { ...monitored, spanBytes: monitored.spanBytes + part.length }
  })
  incoming.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end())
})

async function scrape({ port, auth }: ScrapeOrder): Promise<void> {
  const [, authorization = ''] = /^authorization: (.*)$/.exec(auth) ?? []
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization } })
  await answer.text()
  if (answer.ok) monitored = { ...monitored, scrapes: monitored.scrapes + 1 }
}

process.on('message', (order: ScrapeOrder | 'so far') => {
  if (order !== 'so far') setInterval(() => void scrape(order), EVERY_MS)
  process.send?.(monitored)
})
collector.listen(0, '127.0.0.1', () => process.send?.((collector.address() as AddressInfo).port))
