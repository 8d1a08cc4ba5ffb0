import { useMemo } from 'react'
import { useSearchParams } from 'wouter'
import type { Manifest } from '../../../../../src-main/contract/manifest.ts'
import type { ProjectDetail } from '../../../../../src-main/contract/projects.ts'
import { EmptyState } from '../../../../ui/EmptyState.tsx'
import { Graph } from '../../../../ui/graph/Graph.tsx'
import { ProblemList } from '../ProblemList.tsx'
import { EndpointDetails } from './EndpointDetails.tsx'
import { EndpointList } from './EndpointList.tsx'
import { toGraph } from './to-graph.ts'

/** The app as its source says: endpoints, what they answer, and who calls whom. */
export function PictureTab({ project }: { readonly project: ProjectDetail }) {
  const { manifest, problems, warnings, isThere } = project
  return (
    <>
      <ProblemList label="Problems of the source" problems={problems} kind="problem" />
      <ProblemList label="Warnings" problems={warnings} kind="warning" />
      {manifest === undefined && isThere && (
        <EmptyState>
          The source does not say which endpoints there are, for the reasons above. Save a file, and this page looks
          again.
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
  // A look at the source makes a new object each time; drawn again is only what changed.
  const facts = JSON.stringify({ manifest: { ...manifest, generated_at: '' }, calls })
  const { items, links } = useMemo(() => {
    const known = JSON.parse(facts) as Pick<PictureProps, 'manifest'> & Pick<ProjectDetail, 'calls'>
    return toGraph(known.manifest, known.calls)
  }, [facts])
  const names = Object.keys(manifest.resources)
  const wanted = search.get('endpoint')
  const selected = names.find((name) => name === wanted)
  const select = (name: string | undefined) => setSearch(name === undefined ? {} : { endpoint: name })
  if (names.length === 0)
    return (
      <EmptyState command="drydock init hello">
        No Python file of this folder names an endpoint yet. A function with @Endpoint(name="hello") above it is one;
        the template shows each kind.
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
            place={places[selected]}
            onClose={() => select(undefined)}
          />
        )}
      </div>
    </div>
  )
}
