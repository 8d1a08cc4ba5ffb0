import { useState } from 'react'
import { KEY_VARIABLE, type SampleCall } from '../../../src-main/features/jobs/rules/requests/sample-call.ts'
import { makeSamples, type Sample } from '../../../src-main/features/jobs/rules/requests/samples.ts'
import { CopyButton } from '../Button.tsx'
import { Card } from '../Card.tsx'
import { Scrolling } from '../Scrolling.tsx'
import { SegmentedChoice } from '../Tabs.tsx'

const NOTES: Readonly<Record<Sample['name'], string>> = {
  curl: 'For a POSIX shell.',
  Python: 'The public SDK: pip install runpod.',
  svc: 'The package that comes with Drydock; every worker and app can import it.',
  JavaScript: 'A module for Node.js 18 or newer.',
}

export function CodeSamples({ call }: { readonly call: SampleCall | undefined }) {
  const [wanted, setWanted] = useState<Sample['name']>('curl')
  const samples = call === undefined ? [] : makeSamples(call)
  const sample = samples.find(({ name }) => name === wanted) ?? samples[0]
  return (
    <Card
      title="As code"
      aside={
        sample !== undefined && (
          <div className="flex items-center gap-1">
            <SegmentedChoice
              label="Language"
              choices={samples.map(({ name }) => name)}
              value={sample.name}
              onChange={setWanted}
            />
            <CopyButton text={sample.code} what={`${sample.name} sample`} />
          </div>
        )
      }
    >
      {sample === undefined ? (
        <p className="p-3 text-ink-2">The body in the editor must be valid first.</p>
      ) : (
        <>
          <Scrolling label={`${sample.name} sample`} className="max-h-96 overflow-auto p-3">
            <pre className="font-mono text-small">{sample.code}</pre>
          </Scrolling>
          <p className="border-t border-line px-3 py-2 text-small text-ink-2">
            {NOTES[sample.name]} <KeyNote />
          </p>
          {call !== undefined && 'operation' in call && call.operation === 'stream' && (
            <p className="px-3 pb-2 text-small text-ink-2">
              Without ?format=object, a read returns an array of what has arrived since, and the state is in the header
              Job-Status. The setting Stream format decides for clients that do not ask.
            </p>
          )}
        </>
      )}
    </Card>
  )
}

function KeyNote() {
  return (
    <>
      <code>{KEY_VARIABLE}</code> is the account key, stored by the service in the file <code>account.key</code> of its
      data folder, or the key of the endpoint.
    </>
  )
}
