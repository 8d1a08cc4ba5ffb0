import { ChevronRight, Cpu, Globe, Layers, MemoryStick, Play } from 'lucide-react'
import { createElement, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import type { Manifest, ManifestResource, ManifestTask } from '../../../../src-main/contract/manifest.ts'
import type { ProjectDetail } from '../../../../src-main/contract/projects.ts'
import { Graph, type GraphItem, type GraphLink } from '../../../ui/graph/Graph.tsx'
import { EmptyState } from '../../../ui/PageStates.tsx'
import { callText, EndpointDetails, hardwareText, routesOf, workersText } from './EndpointDetails.tsx'
import { ProblemList } from './ProblemList.tsx'

export function PictureTab({ project }: { readonly project: ProjectDetail }) {
  const { manifest, problems, warnings, isThere } = project
  return (
    <>
      <ProblemList label="Problems of the source" problems={problems} kind="problem" />
      <ProblemList label="Warnings" problems={warnings} kind="warning" />
      {manifest === undefined && isThere && (
        <EmptyState>
          The endpoints cannot be read from the source, for the reasons above. Save a file to read it again.
        </EmptyState>
      )}
      {manifest !== undefined && <Picture project={project} manifest={manifest} />}
    </>
  )
}

type PictureProps = { readonly project: ProjectDetail; readonly manifest: Manifest }

function Picture({ project, manifest }: PictureProps) {
  const [search, setSearch] = useSearchParams()
  const { calls, places } = project
  const facts = JSON.stringify({ manifest: { ...manifest, generated_at: '' }, calls })
  const { items, links } = useMemo(() => {
    const known = JSON.parse(facts) as Pick<PictureProps, 'manifest'> & Pick<ProjectDetail, 'calls'>
    return toGraph(known.manifest, known.calls)
  }, [facts])
  const names = boxesOf(manifest).map(([name]) => name)
  const wanted = search.get('endpoint')
  const selected = names.find((name) => name === wanted)
  const select = (name: string | undefined) => setSearch(name === undefined ? {} : { endpoint: name })
  if (names.length === 0)
    return (
      <EmptyState command="drydock init hello">
        No Python file in this folder defines an endpoint yet. Put @Endpoint(name="hello") above a function, or
        @app.queue() of an App of runpod 2.0 (drydock init hello --sdk 2); the templates show each kind.
      </EmptyState>
    )
  return (
    <div className="grid min-h-0 flex-1 gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="min-h-80 overflow-hidden rounded-control border border-line bg-surface-0">
        <Graph
          label={`Endpoints of ${project.app}`}
          items={items}
          links={links}
          selected={selected}
          onSelect={select}
        />
      </div>
      <div className="min-h-0 overflow-y-auto rounded-control border border-line bg-surface-1">
        {selected === undefined ? (
          <EndpointList manifest={manifest} calls={calls} onSelect={select} />
        ) : (
          <EndpointDetails
            name={selected}
            manifest={manifest}
            calls={calls}
            position={places[selected]}
            onClose={() => select(undefined)}
          />
        )}
      </div>
    </div>
  )
}

const WIDTH = 232
const HEAD_HEIGHT = 54
const LINE_HEIGHT = 18
const PADDING = 10
const MOST_LINES = 5

function boxesOf({ resources, tasks = {} }: Manifest): readonly (readonly [string, ManifestResource | ManifestTask])[] {
  return [...Object.entries(resources), ...Object.entries(tasks)]
}

const isEndpoint = (box: ManifestResource | ManifestTask): box is ManifestResource => 'workersMax' in box

const workersOf = (box: ManifestResource | ManifestTask) =>
  isEndpoint(box) ? workersText(box) : 'a worker for each call'

export function toGraph(
  manifest: Manifest,
  calls: ProjectDetail['calls'],
): { readonly items: readonly GraphItem[]; readonly links: readonly GraphLink[] } {
  const items = boxesOf(manifest).map(([name, resource]): GraphItem => {
    const routes = routesOf(manifest, name)
    const lines = shortened(routes)
    return {
      id: name,
      width: WIDTH,
      height: HEAD_HEIGHT + lines.length * LINE_HEIGHT + (lines.length === 0 ? 0 : PADDING),
      content: createElement(EndpointBox, { name, resource, lines }),
    }
  })
  const links = calls.map(({ from, to, functions }) => ({ from, to, label: shortened(functions, 2).join(', ') }))
  return { items, links }
}

function shortened(lines: readonly string[], most = MOST_LINES): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), `${lines.length - most + 1} more`]
}

type EndpointBoxProps = {
  readonly name: string
  readonly resource: ManifestResource | ManifestTask
  readonly lines: readonly string[]
}

function EndpointBox({ name, resource, lines }: EndpointBoxProps) {
  const Kind = !isEndpoint(resource) ? Play : resource.is_load_balanced ? Globe : Layers
  const Hardware = resource.gpuIds ? MemoryStick : Cpu
  return (
    <div className="cursor-pointer">
      <div className="flex h-7 items-center gap-1.5 px-2.5 pt-1.5">
        <Kind aria-hidden className="size-4 shrink-0 text-ink-2" />
        <span className="truncate font-medium">{name}</span>
      </div>
      <div className="flex h-6.5 items-center gap-1.5 px-2.5 text-small text-ink-2">
        <Hardware aria-hidden className="size-4 shrink-0" />
        <span className="truncate">
          {hardwareText(resource)} · {workersOf(resource)}
        </span>
      </div>
      {lines.length > 0 && (
        <ul className="border-t border-line px-2.5 py-1 font-mono text-small">
          {lines.map((line) => (
            <li key={line} className="h-4.5 truncate">
              {line}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

type EndpointListProps = {
  readonly manifest: Manifest
  readonly calls: ProjectDetail['calls']
  readonly onSelect: (name: string) => void
}

function EndpointList({ manifest, calls, onSelect }: EndpointListProps) {
  return (
    <ul aria-label="Endpoints" className="flex flex-col">
      {boxesOf(manifest).map(([name, resource]) => (
        <li key={name} className="border-b border-line/60 last:border-0">
          <button
            type="button"
            onClick={() => onSelect(name)}
            className="flex w-full items-start gap-2 px-3 py-2 text-left -outline-offset-2 hover:bg-surface-2"
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{name}</span>
              <span className="block truncate text-small text-ink-2">
                {hardwareText(resource)}, {workersOf(resource)}
              </span>
              <span className="block truncate font-mono text-small">{routesOf(manifest, name).join(', ')}</span>
              {calls
                .filter(({ from }) => from === name)
                .map(({ to, functions }) => (
                  <span key={to} className="block truncate text-small text-ink-2">
                    calls {callText(to, functions)}
                  </span>
                ))}
            </span>
            <ChevronRight aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-2" />
          </button>
        </li>
      ))}
    </ul>
  )
}
