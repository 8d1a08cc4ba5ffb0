import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ImagePlan, LockChange } from '../../../../src-main/contract/worker-image-routes.ts'
import type { WorkflowLock } from '../../../../src-main/contract/worker-images.ts'
import { plainId } from '../../../../src-main/features/endpoints/rules/ids.ts'
import { writeDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field, Labelled } from '../../../ui/form/Field.tsx'
import { MachineSelect } from '../../../ui/form/MachineSelect.tsx'
import { bytes, duration } from '../../../ui/format.ts'
import { TextLink } from '../../../ui/Links.tsx'
import { ErrorNotice, SkeletonRows, WarningNotice } from '../../../ui/PageStates.tsx'
import { usePaused } from '../../../ui/Values.tsx'
import { useEnvironmentActions } from '../../apps/use-environment-actions.ts'
import { useExposable } from '../publish/use-form.ts'
import { useTab } from '../store/editor-store.ts'

const ENVIRONMENT = 'production'
const TYPING_MS = 400

type Props = { readonly name: string; readonly image: string; readonly lock: WorkflowLock }

export function ImageDeploy({ name, image, lock }: Props) {
  const { client } = useApp()
  const { editor } = useTab()
  const { payload, form } = useExposable()
  const [app, setApp] = useState(plainId(name) || 'workflow')
  const [machine, setMachine] = useState('')
  const settled = usePaused(app, TYPING_MS)
  const target = { app: settled, environment: ENVIRONMENT }
  const { release } = useEnvironmentActions(target)
  const plan = useQuery({
    queryKey: ['image-plan', settled, image, machine, lock],
    queryFn({ signal }) {
      const graph = {
        payload: writeJson(payload),
        document: writeJson(writeDocument(editor.getState().document)),
        parameters: [...form.parameters],
        results: [...form.results],
      }
      const body = { image, lock, graph, ...(machine === '' ? {} : { machine }) }
      return client.call('imagePlan', { path: target, body, signal })
    },
    enabled: settled !== '',
    gcTime: 0,
  })
  const deploy = useMutation({
    mutationFn: async () => plan.data && release({ image: plan.data.manifest }, machine === '' ? {} : { machine }),
  })
  return (
    <section aria-label="Deploy" className="flex flex-col gap-3 border-t border-line pt-3">
      <h3 className="font-medium">Deploy</h3>
      <Field
        label="Endpoint"
        hint="Clients call the workflow by this name."
        value={app}
        onChange={({ target }) => setApp(target.value)}
        required
      />
      <Labelled label="Workers run on">
        {({ id }) => <MachineSelect id={id} value={machine} onChange={setMachine} />}
      </Labelled>
      {plan.error !== null && <ErrorNotice error={plan.error} />}
      {plan.isFetching && <SkeletonRows rows={3} />}
      {plan.data !== undefined && <Plan plan={plan.data.plan} />}
      <Button
        kind="main"
        className="self-start"
        disabled={plan.data === undefined || plan.isFetching || deploy.isPending}
        onClick={() => deploy.mutate()}
      >
        Deploy to {settled}
      </Button>
      {deploy.data !== undefined && (
        <p role="status">
          Release {deploy.data} is being prepared.{' '}
          <TextLink to={ADDRESS.environment(settled, ENVIRONMENT, 'releases')}>Show its progress</TextLink>
        </p>
      )}
    </section>
  )
}

const CHANGES: Readonly<Record<LockChange['change'], string>> = { added: '+', changed: '~', removed: '-' }

function Plan({ plan: { from, image, changes, mounts, coldStart, limits, warnings } }: { readonly plan: ImagePlan }) {
  const missing = mounts.filter((model) => model.from === undefined)
  const over = limits.filter(({ isOver }) => isOver)
  return (
    <div className="flex flex-col gap-2">
      <p>
        {from === undefined ? 'Nothing is deployed there yet.' : `Replaces release ${from}.`}
        {image.sizeBytes !== undefined && ` Image size: ${bytes(image.sizeBytes)}`}
        {image.sizeBytesBefore !== undefined && ` (before: ${bytes(image.sizeBytesBefore)})`}
        {image.sizeBytes !== undefined && '.'}
      </p>
      {changes.length > 0 && (
        <ul aria-label="Changes" className="flex flex-col font-mono text-small">
          {changes.map(({ part, name, change, from: before, to }) => (
            <li key={`${part} ${name}`} className="break-all">
              {CHANGES[change]} {part} {name} {[before, to].filter((one) => one !== undefined).join(' → ')}
            </li>
          ))}
        </ul>
      )}
      <p className="text-small text-ink-2">
        {coldStart.totalMs === undefined
          ? 'No cold start has been measured yet.'
          : `Estimated cold start: ${duration(coldStart.totalMs)}.`}
      </p>
      {missing.length > 0 && (
        <WarningNotice>Missing models: {missing.map(({ path }) => path).join(', ')}.</WarningNotice>
      )}
      {over.map(({ name, value, limit }) => (
        <WarningNotice key={name}>
          {name}: {value}, more than the limit of {limit}.
        </WarningNotice>
      ))}
      {warnings.map((warning) => (
        <WarningNotice key={warning}>{warning}</WarningNotice>
      ))}
    </div>
  )
}
