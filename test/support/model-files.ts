/** Files of models as tests need them, and hosts on loopback that give them. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Tensors by name: type, shape, and where they lie if not one after the other. */
export type TestTensors = Readonly<
  Record<
    string,
    { readonly dtype: string; readonly shape: readonly number[]; readonly data_offsets?: readonly number[] }
  >
>

const BYTES: Readonly<Record<string, number>> = { F32: 4, F16: 2, BF16: 2, U8: 1 }

export function safetensors(tensors: TestTensors, metadata?: Readonly<Record<string, string>>): Buffer {
  let at = 0
  const head: Record<string, unknown> = metadata === undefined ? {} : { __metadata__: metadata }
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(tensors)) {
    const bytes = shape.reduce((product, one) => product * one, BYTES[dtype] ?? 0)
    head[name] = { dtype, shape, data_offsets: data_offsets ?? [at, at + bytes] }
    at += bytes
  }
  return withHead(JSON.stringify(head), at)
}

/** A file with this text as its head. @param said length that is claimed */
export function withHead(head: string, dataBytes: number, said: number | bigint = Buffer.byteLength(head)): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(said))
  const data = Buffer.alloc(dataBytes)
  for (let at = 0; at < dataBytes; at += 1) data[at] = (at * 31) % 251
  return Buffer.concat([length, Buffer.from(head), data])
}

/** A small file of a LoRA of SDXL. */
export const LORA: Buffer = safetensors(
  { 'lora_te2_text_model.lora_up.weight': { dtype: 'F16', shape: [4, 8] } },
  { ss_base_model_version: 'sdxl_base_v1-0' },
)

/** One that takes some chunks. @param kib its size, about */
export const largeModel = (kib: number): Buffer =>
  safetensors({ 'decoder.conv_in.weight': { dtype: 'U8', shape: [kib, 1024] } })

/** SHA-256 in lower case hex. */
export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A request as a host has seen it. */
export type SeenRequest = {
  readonly url: string
  readonly range: string | undefined
  readonly ifRange: string | undefined
  readonly authorization: string | undefined
}

/** A host that is gone when the test has ended. */
export type TestHost = { readonly url: string; readonly place: string; readonly seen: SeenRequest[] }

/** Starts a host that serves files over HTTP. */
export async function startHost(answer: RequestListener, address = '127.0.0.1'): Promise<TestHost> {
  const seen: SeenRequest[] = []
  const server = createServer((incoming, outgoing) => {
    const { range, 'if-range': ifRange, authorization } = incoming.headers
    seen.push({ url: incoming.url ?? '', range, ifRange: ifRange as string | undefined, authorization })
    answer(incoming, outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const place = `${address}:${(server.address() as AddressInfo).port}`
  return { url: `http://${place}`, place, seen }
}

/**
 * Answers with a file as hosts of models do: with ranges, and a strong ETag.
 * @param upTo how much is sent before it breaks off
 * @param taken asked with the bytes of the file sent so far: it breaks off when they have arrived. Without it, what was
 * sent last may be lost with the connection
 */
export function sendFile(
  { headers }: IncomingMessage,
  outgoing: ServerResponse,
  bytes: Buffer,
  {
    etag = `"${sha256Of(bytes)}"`,
    upTo,
    taken = async () => {},
  }: { readonly etag?: string; readonly upTo?: number; readonly taken?: (bytes: number) => Promise<void> } = {},
): void {
  const wanted = /^bytes=(\d+)-$/.exec(headers.range ?? '')
  const from = wanted !== null && headers['if-range'] === etag ? Number(wanted[1]) : 0
  const rest = bytes.subarray(from)
  const range = from === 0 ? {} : { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }
  outgoing.writeHead(from === 0 ? 200 : 206, { etag, 'content-length': rest.length, ...range })
  if (upTo === undefined) return void outgoing.end(rest)
  outgoing.write(rest.subarray(0, upTo), () => void taken(from + upTo).finally(() => outgoing.destroy()))
}
