import clsx from 'clsx'
import { useMemo } from 'react'
import type { InputHints } from '../../../../src-main/contract/saved-requests.ts'
import { parseExact } from '../../../../src-main/domain/json/exact-json.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { CodeEditor } from '../../../ui/editor/CodeEditor.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { bodyAround, lacksInput } from './body-text.ts'
import { JobOptions } from './JobOptions.tsx'

/** The body of a job. */
export type BodyEditorProps = {
  /** Undefined while it is not known what to begin with. */
  readonly text: string | undefined
  /** Why it cannot be sent as it is. */
  readonly fault: string | undefined
  readonly hints: InputHints['fields']
  readonly onChange: (text: string) => void
  /** Leaves room for answers below it where they cannot stand beside it. */
  readonly isLow: boolean
}

/** What a body has beside its input; source: job-api, Request body. */
const BODY_FIELDS = [
  'input',
  'policy',
  'policy.executionTimeout',
  'policy.ttl',
  'policy.lowPriority',
  'webhook',
  'idempotencyKey',
  's3Config',
].map((path) => ({ path, values: path === 'policy.lowPriority' ? ['true', 'false'] : [] }))

/** The editor of the body, and its options below. */
export function BodyEditor({ text, fault, hints, onChange, isLow }: BodyEditorProps) {
  const fields = useMemo(
    () => [...BODY_FIELDS, ...hints.map(({ path, values }) => ({ path: `input.${path}`, values }))],
    [hints],
  )
  return (
    <Card title="Body" aside={text !== undefined && <CopyButton text={text} what="body" />} className="min-w-0">
      <div className={clsx('flex flex-col p-2', isLow ? 'h-48 xl:h-80' : 'h-80')}>
        {text === undefined ? (
          <Skeleton className="flex-1" />
        ) : (
          <CodeEditor label="Body of the request" value={text} onChange={onChange} fields={fields} />
        )}
      </div>
      {/* It keeps its place, so that nothing jumps while one types. */}
      <div role="status" className="flex min-h-8 items-center gap-2 px-3 text-small">
        {fault === undefined ? (
          <span className="text-ink-2">
            {hints.length === 0 ? 'Valid JSON.' : 'Valid JSON. Ctrl Space offers fields and values of recent inputs.'}
          </span>
        ) : (
          <span className="text-failed-ink">{fault}</span>
        )}
        {text !== undefined && lacksInput(text) && (
          <Button onClick={() => onChange(bodyAround(parseExact(text)))}>Put it into &quot;input&quot;</Button>
        )}
      </div>
      {text !== undefined && <JobOptions text={text} isValid={fault === undefined} onChange={onChange} />}
    </Card>
  )
}
