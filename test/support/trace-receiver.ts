/**
 * A collector of traces: takes what the official exporter sends by OTLP over HTTP (protobuf), and reads it. The fields
 * are those of opentelemetry/proto/trace/v1/trace.proto.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

/** A span as it came. Times are ms since the epoch. */
export type ReceivedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly state: string
  readonly name: string
  readonly kind: number
  readonly from: number
  readonly to: number
  readonly attributes: Readonly<Record<string, string | number>>
  readonly status: number
}

/** A receiver that listens, and what has come to it. */
export type TraceReceiver = {
  readonly url: string
  readonly spans: () => readonly ReceivedSpan[]
  readonly requests: () => number
  /** Attributes of the program that sent the newest spans. */
  readonly resource: () => Readonly<Record<string, string | number>>
  /** How it answers from now on: as it should, with an error that is not to be tried again, or never. */
  readonly answer: (how: 'well' | 'refused' | 'never') => void
}

/** Opens it on loopback; it closes with the test. */
export async function traceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = []
  let resource: Record<string, string | number> = {}
  let requests = 0
  let how: Parameters<TraceReceiver['answer']>[0] = 'well'

  async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece)
    if (how === 'never') return
    if (how === 'refused') return void response.writeHead(400).end()
    const body = Buffer.concat(pieces)
    const bytes = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
    for (const ofProgram of all(bytes, 1)) {
      resource = attributesOf(all(all(ofProgram, 1)[0] ?? Buffer.alloc(0), 1))
      for (const ofScope of all(ofProgram, 2)) for (const span of all(ofScope, 2)) spans.push(readSpan(span))
    }
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  }

  const server = createServer((incoming, response) => void receive(incoming, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans: () => spans,
    requests: () => requests,
    resource: () => resource,
    answer: (next) => {
      how = next
    },
  }
}

type Field = { readonly number: number; readonly value: bigint | Buffer }

function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0
  function varint(): bigint {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  function take(length: number): Buffer {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const wire = tag & 7
    const number = tag >>> 3
    if (wire === 0) yield { number, value: varint() }
    else if (wire === 1) yield { number, value: take(8) }
    else if (wire === 2) yield { number, value: take(Number(varint())) }
    else if (wire === 5) yield { number, value: take(4) }
    else throw new Error(`a field of kind ${wire}`)
  }
}

const all = (bytes: Buffer, wanted: number): readonly Buffer[] =>
  [...fieldsOf(bytes)].flatMap(({ number, value }) => (number === wanted && Buffer.isBuffer(value) ? value : []))

function readSpan(bytes: Buffer): ReceivedSpan {
  const one = (number: number) => all(bytes, number)[0] ?? Buffer.alloc(0)
  const numberOf = (from: Buffer, wanted: number) =>
    Number([...fieldsOf(from)].find(({ number }) => number === wanted)?.value ?? 0)
  const time = (number: number) => Number(one(number).readBigUInt64LE() / 1000n) / 1000
  return {
    traceId: one(1).toString('hex'),
    spanId: one(2).toString('hex'),
    parentSpanId: one(4).toString('hex'),
    state: one(3).toString(),
    name: one(5).toString(),
    kind: numberOf(bytes, 6),
    from: time(7),
    to: time(8),
    attributes: attributesOf(all(bytes, 9)),
    status: numberOf(one(15), 3),
  }
}

function attributesOf(pairs: readonly Buffer[]): Record<string, string | number> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [value] = [...fieldsOf(all(pair, 2)[0] ?? Buffer.alloc(0))]
      const read = Buffer.isBuffer(value?.value) ? value.value.toString() : Number(value?.value ?? 0)
      return [(all(pair, 1)[0] ?? Buffer.alloc(0)).toString(), read]
    }),
  )
}
