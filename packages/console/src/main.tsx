import { render } from "preact";
import { App } from "./app.tsx";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/playground.css";
import "./styles/tables.css";

const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
