const SUBGRAPH = '0b1f5c8e-6a57-4c55-9a4b-2f8f2e6f7d10'

const node = (id: number, type: string, more: object) => {
  return { id, type, pos: [id * 300, 0], size: [270, 120], flags: {}, order: id, mode: 0, properties: {}, ...more }
}

/** A blueprint of a ComfyUI server that paints a plain picture, and saves it. */
export const BLUEPRINT = {
  ...{ revision: 0, last_node_id: 5, last_link_id: 0, links: [], groups: [], extra: {}, version: 0.4 },
  nodes: [node(5, SUBGRAPH, { inputs: [], outputs: [], properties: { proxyWidgets: [] }, widgets_values: [] })],
  definitions: {
    subgraphs: [
      {
        ...{ id: SUBGRAPH, version: 1, revision: 0, config: {}, name: 'Plain picture', inputs: [], outputs: [] },
        state: { lastGroupId: 0, lastNodeId: 2, lastLinkId: 1, lastRerouteId: 0 },
        inputNode: { id: -10, bounding: [0, 0, 120, 60] },
        outputNode: { id: -20, bounding: [900, 0, 120, 60] },
        nodes: [
          node(1, 'EmptyImage', {
            inputs: [],
            outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }],
            widgets_values: [64, 64, 1, 0],
          }),
          node(2, 'SaveImage', {
            inputs: [{ name: 'images', type: 'IMAGE', link: 1 }],
            outputs: [],
            widgets_values: ['plain'],
          }),
        ],
        links: [{ id: 1, origin_id: 1, origin_slot: 0, target_id: 2, target_slot: 0, type: 'IMAGE' }],
        ...{ groups: [], widgets: [], extra: {} },
      },
    ],
  },
}
