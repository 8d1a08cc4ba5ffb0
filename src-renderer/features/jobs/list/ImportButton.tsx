import { Upload } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { useImport } from './use-job-files.ts'

/** Queues a new job for each line of a file that is chosen. */
export function ImportButton({ endpointId }: { readonly endpointId: string }) {
  const choose = useImport(endpointId)
  return (
    <Button
      kind="quiet"
      title={`Each line of a file, like {"input": {...}}, becomes a new job on ${endpointId}`}
      onClick={() => void choose()}
    >
      <Upload aria-hidden /> Import
    </Button>
  )
}
