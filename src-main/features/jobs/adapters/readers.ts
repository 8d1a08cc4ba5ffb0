import { isUtf8 } from 'node:buffer'
import { limit } from '../../../contract/limits.ts'
import { bodyText, foldedText, withoutMark } from '../../../http/body-text.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import { plainJson } from '../../../lib/json/plain.ts'
import { scanJson } from '../../../lib/json/scan.ts'
import { jsonText } from '../../../lib/json/text.ts'
import { bufferOf, jsonBytes, ownBytes } from '../../../lib/node/own-bytes.ts'
import type { JobReaders } from '../ports/readers.ts'
import { writeJobFile } from '../rules/job-file.ts'
import { readOpenAiAnswer } from '../rules/openai-error.ts'
import { itemsOf } from '../rules/read-items.ts'
import { readObject, withoutLargeFields } from '../rules/read-object.ts'
import { readReport } from '../rules/report.ts'
import { readChunk } from '../rules/stream.ts'

export const JOB_READERS: JobReaders = {
  object(body, maxValues) {
    const bytes = bufferOf(body)
    const folded = foldedText(bytes)
    const isPassedOn = maxValues === undefined
    const read = readObject(isPassedOn ? folded : { ...folded, text: bytes.toString() }, maxValues)
    if ('code' in read) return read
    const parts = [...read.scan.fields].map(([name, { start, end }]): [string, Json] => [name, folded.cut(start, end)])
    return { value: isPassedOn ? withoutLargeFields(read) : read.value, fields: new Map(parts) }
  },
  items(body, field) {
    const bytes = withoutMark(bufferOf(body))
    if (!isUtf8(bytes)) return { problem: 'must be UTF-8' }
    const read = itemsOf(bytes.toString(), field)
    return 'problem' in read ? read : { items: read.items.map((item) => ownBytes(Buffer.from(item))) }
  },
  value(json) {
    const scan = scanJson(json, { maxKeys: limit('jsonKeys'), maxDepth: limit('jsonDepth') })
    if (scan === 'too-deep') return { problem: 'it is nested too deeply' }
    if (scan === 'too-many-keys' || scan.values > limit('jsonValues'))
      return { problem: `it holds more than ${limit('jsonValues')} values` }
    const value = plainJson(json)
    return value === undefined ? { problem: 'it is not valid JSON' } : { value }
  },
  report(body) {
    const bytes = bufferOf(body)
    return readReport(isUtf8(bytes) ? foldedText(bytes) : bodyText(bytes))
  },
  jobFile: (line, head, hidden) => ({ text: writeJobFile(head, line, hidden) }),
  chunk(body) {
    const read = readChunk(bodyText(bufferOf(body)).text, limit('chunkBytes'))
    return 'problem' in read ? read : { pieces: read.pieces.map(jsonBytes) }
  },
  openAi: (given, from) => readOpenAiAnswer(jsonText(given), from),
}
