import { useDeferredValue, useMemo } from 'react'
import { Link } from 'wouter'
import { directoryOfInput, graphName, isModelHere } from '../../../../src-main/features/models/rules/layout.ts'
import { readPayloadNodes } from '../../../../src-main/features/workflows/rules/payload.ts'
import {
  modelsOf,
  type OfferedModel,
  offeredModels,
} from '../../../../src-main/features/workflows/rules/runs/graph-models.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { OfferedDownload } from '../../../ui/ModelDownloads.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { useLiveModels } from '../../../ui/use-models.ts'
import { useEditor, useRuns, useTab } from '../store/editor-store.ts'
import { titleOf, useJump } from './use-problems.ts'

export function ModelsPanel() {
  useLiveModels(true)
  const models = useUsedModels()
  const here = useAppState((state) => state.modelsHere)
  const endpointId = useRuns((state) => state.endpointId)
  const named = useAppState(({ live }) => live.endpoints[endpointId ?? '']?.workflows?.models)
  return (
    <section aria-label="Models of the graph" className="flex flex-col gap-2 p-3">
      {models.length === 0 && <p className="text-ink-2">No node of this graph loads a model.</p>}
      <ul className="flex flex-col divide-y divide-line">
        {models.map((model) => {
          const isNamed = named?.includes(model.name) ?? false
          const isHere = isModelHere(here, model.name, model.directory)
          return (
            <li key={`${model.directory} ${model.name}`} className="flex flex-col gap-1 py-2">
              <p className="font-medium break-all">{model.name}</p>
              {isHere && <StateDot tone="completed" text="On this machine" detail={model.directory || undefined} />}
              {!isHere && isNamed && <StateDot tone="completed" text="On the endpoint" />}
              {!isHere && !isNamed && <Missing model={model} />}
              <UsedAt nodes={model.nodes} />
            </li>
          )
        })}
      </ul>
      <p className="text-small text-ink-2">
        All models of this machine, and their folders, are at{' '}
        <Link to={ADDRESS.models()} className="text-accent hover:underline">
          Models
        </Link>
        .
      </p>
    </section>
  )
}

function Missing({ model: { name, directory, offer } }: { readonly model: UsedModel }) {
  const detail = offer === undefined ? 'The graph does not say where to get it.' : undefined
  return (
    <>
      <StateDot tone="timed-out" text="Not on this machine" detail={detail} />
      {offer !== undefined ? (
        <OfferedDownload offer={offer} />
      ) : (
        <Link to={ADDRESS.models({ name, directory })} className="self-start text-accent hover:underline">
          Download it by its address
        </Link>
      )}
    </>
  )
}

function UsedAt({ nodes }: { readonly nodes: readonly string[] }) {
  const { editor } = useTab()
  const jump = useJump()
  return (
    <p className="flex flex-wrap gap-x-2 text-small">
      {nodes.map((id) => (
        <button key={id} type="button" onClick={() => jump(id)} className="text-ink-2 hover:text-ink hover:underline">
          {titleOf(editor.getState(), id)}
        </button>
      ))}
    </p>
  )
}

type UsedModel = {
  readonly name: string
  readonly directory: string | undefined
  readonly nodes: readonly string[]
  readonly offer: OfferedModel | undefined
}

/** Updated shortly after an edit, because graphs may be long. */
function useUsedModels() {
  const { platform } = useApp()
  const document = useDeferredValue(useEditor((state) => state.document))
  const types = useEditor((state) => state.types)
  return useMemo(() => {
    const offers = offeredModels(document)
    const { payload } = toPayload(document, types, platform.now())
    const found = new Map<string, UsedModel>()
    for (const node of readPayloadNodes(payload))
      for (const { input, asked } of modelsOf([node])) {
        const name = graphName(asked)
        const offer = offers.get(name)
        const directory = directoryOfInput(input, node.classType) ?? offer?.directory
        const key = `${directory} ${name}`
        const nodes = [...(found.get(key)?.nodes ?? []), node.id]
        found.set(key, { name, directory, nodes, offer })
      }
    return [...found.values()]
  }, [document, types, platform])
}
