import { useMutation } from '@tanstack/react-query'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'

/** For an endpoint of which nothing says that it takes graphs: one click says it, as its settings do. */
export function TakesWorkflows({ endpointId }: { readonly endpointId: string }) {
  const { client, store } = useApp()
  const change = useMutation({
    mutationFn: () => client.call('endpointUpdate', { path: { endpointId }, body: { workflows: {} } }),
    onError: ({ message }) => store.getState().tell({ kind: 'error', text: message }),
  })
  return (
    <Button
      disabled={change.isPending}
      title={`Nothing says that the workers of ${endpointId} run graphs. This turns on its setting "Takes workflows".`}
      onClick={() => change.mutate()}
    >
      It takes workflows
    </Button>
  )
}
