# The notebooks in JupyterLab, in an environment made of environment.yml:
#
#   docker build -t litlearn .
#   docker run -p 8888:8888 litlearn
#
# JupyterLab prints an address with a token; open it in a browser.
FROM mambaorg/micromamba:2.3.0

COPY --chown=$MAMBA_USER:$MAMBA_USER . /home/$MAMBA_USER/litlearn
WORKDIR /home/$MAMBA_USER/litlearn
# "-e .[notebooks]" of environment.yml needs the repository beside it.
RUN micromamba install --yes --name base --file environment.yml && micromamba clean --all --yes
ARG MAMBA_DOCKERFILE_ACTIVATE=1
# Compile the module and make notebooks for reading, so that no reader waits for it.
RUN ./postBuild
EXPOSE 8888
ENTRYPOINT ["/usr/local/bin/_entrypoint.sh", "./start"]
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--port=8888", "--no-browser", "--notebook-dir=book"]
