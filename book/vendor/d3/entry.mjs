// What the figures of the book use of D3; ../../../.ci/vendor_d3 bundles it into d3.js.
export { blur2, range } from "d3-array";
export { axisBottom, axisLeft } from "d3-axis";
export { contours } from "d3-contour";
export { drag } from "d3-drag";
export { scaleLinear } from "d3-scale";
export { create, pointer, select, selectAll } from "d3-selection";
export { line, symbol, symbolCircle, symbolDiamond, symbolSquare, symbolStar, symbolTriangle } from "d3-shape";
