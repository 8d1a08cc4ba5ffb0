import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ListPlus } from 'lucide-react'
import { useState } from 'react'
import { counted } from '../../../../src-main/lib/text.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { useApp } from '../../../store/app-context.ts'
import { Card } from '../../../ui/Card.tsx'
import { Field } from '../../../ui/form/Field.tsx'
import { Form, Submit } from '../../../ui/form/Form.tsx'

type SubmitBatchProps = { readonly endpointId: string; readonly onBegun: (batchId: string) => void }

export function SubmitBatch({ endpointId, onBegun }: SubmitBatchProps) {
  const { client } = useApp()
  const queries = useQueryClient()
  const [file, setFile] = useState<File>()
  const [sent, setSent] = useState('')
  const submit = useMutation({
    mutationFn: (chosen: File) => submitFile(client, endpointId, { file: chosen, onSent: setSent, onBegun }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['batches', endpointId] }),
  })
  const onSubmit = () => {
    setSent('')
    if (file !== undefined) submit.mutate(file)
  }
  return (
    <Card title="New batch">
      <Form onSubmit={onSubmit} className="flex flex-col gap-3 p-3">
        <Field
          label="File of inputs"
          type="file"
          accept=".jsonl,.ndjson,.json,.csv,application/x-ndjson,text/csv"
          hint="JSON lines, each an input or a request with one; or CSV, whose header names the fields."
          onChange={({ target }) => setFile(target.files?.[0])}
        />
        <p className="text-small text-ink-2">
          A file with a broken line is refused as a whole. If an upload breaks off, submit the same file again.
        </p>
        <p role="status" className="min-h-4 tabular-nums">
          {sent}
        </p>
        <Submit error={submit.error} disabled={file === undefined || submit.isPending} className="self-start">
          <ListPlus aria-hidden /> Submit
        </Submit>
      </Form>
    </Card>
  )
}

type Submitting = {
  readonly file: File
  readonly onBegun: (batchId: string) => void
  readonly onSent: (text: string) => void
}

async function submitFile(client: ApiClient, endpointId: string, { file, onBegun, onSent }: Submitting) {
  const { checkInputs, piecesOf, readInputs } = await import('../../../../src-main/features/batches/rules/file.ts')
  const read = () => readInputs(textOf(file), file.name.toLowerCase().endsWith('.csv') ? 'csv' : 'jsonl')
  onSent('Reading the file')
  const { total, problems } = await checkInputs(read()).finally(() => onSent(''))
  if (problems.length > 0) throw new Error(`${file.name}: ${problems.join('; ')}. Nothing was queued.`)
  const fingerprint = `file ${file.name.slice(0, 100)} ${file.size} ${file.lastModified}`
  const made = await client.call('batchCreate', {
    path: { endpointId },
    body: { name: file.name.slice(0, 100), total, fingerprint },
  })
  onBegun(made.id)
  let sent = total - made.unsent
  for await (const { from, text, inputs } of piecesOf(read(), made.received)) {
    const bytes = new Blob([text])
    await client.call('batchAppend', { path: { batchId: made.id }, query: { from: String(from) }, bytes })
    sent += inputs
    onSent(`${sent.toLocaleString('en')} of ${counted(total, 'input')} sent`)
  }
}

// Not every browser can iterate over a stream directly.
async function* textOf(file: File): AsyncGenerator<string> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel()
  }
}
