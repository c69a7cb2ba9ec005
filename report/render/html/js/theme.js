// Light and dark: as the system says unless the reader chooses. redraw is
// called after each change; canvases hold colours that CSS cannot reach.
function setUpTheme(redraw) {
  const group = document.querySelector(".theme");
  group.hidden = false;
  for (const button of group.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const theme = button.dataset.theme;
      if (theme === "auto") delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = theme;
      for (const other of group.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
      redraw();
    });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  matchMedia("print").addEventListener("change", redraw);
}
